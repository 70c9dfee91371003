"""What all demos share: the loop, pictures, letters, and the panel that shows the pools."""

"""What all demos share: the loop, the frame around a scene, pictures, key caps and effects."""

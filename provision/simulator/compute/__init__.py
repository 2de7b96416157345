"""Microsoft.Compute: scale sets and their instances, hardware, quota, images, placement."""

"""What goes in and out: requests and answers, and how Azure writes JSON, times and places in a text."""

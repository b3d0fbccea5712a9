"""What is known of models: names, context windows, encodings, prices."""

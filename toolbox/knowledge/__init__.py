"""What is known of columns before anybody says anything: what their names mean, and what their values look like."""

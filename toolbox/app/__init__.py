"""The application: seven screens in a browser of this machine, on the public calls of the toolbox."""

def completion(options):
    return 0

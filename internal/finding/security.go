package finding

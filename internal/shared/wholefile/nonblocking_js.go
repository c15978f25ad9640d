package wholefile

// nonblocking is for pipes, which a browser does not have.
const nonblocking = 0

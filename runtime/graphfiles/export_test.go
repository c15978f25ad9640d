package graphfiles

// TaskName is the name of the folder of a run's task.
var TaskName = taskName

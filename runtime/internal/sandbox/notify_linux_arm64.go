package sandbox

// callsHere are calls with paths that only this processor has.
var callsHere map[uint32][]operation

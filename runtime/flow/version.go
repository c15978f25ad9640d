package flow

// Version1_RunWfcGenAgain is the version of generated code that this runtime
// fits. Generated code names it, so code of another version does not compile:
// "undefined: flow.Version1_RunWfcGenAgain".
//
// Rename it to the next number, here and in package gen, in a change after which
// existing generated code would not compile or would behave differently: an
// exported name that generated code uses is removed, changes its type or its
// meaning. Do not rename it when names are added or when wfc writes other code
// that old and new runtimes both run. One runtime fits one version.
const Version1_RunWfcGenAgain = true

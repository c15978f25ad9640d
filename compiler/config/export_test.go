package config

// Format is the format of wfc.yaml.
var Format = configFormat

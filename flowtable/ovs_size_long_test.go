//go:build real && long

package flowtable_test

// oracleCases is how many cases of each kind, in each version, are given to Open vSwitch: a minute
// or two.
const oracleCases = 3000

//go:build real && !long

package flowtable_test

import "time"

// oracleTime is how long each version is compared with Open vSwitch.
const oracleTime = 15 * time.Second

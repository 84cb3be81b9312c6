// Package watch raises alarms about intents: that some have been failed for a minute, and that some
// take packets of others on links between switches. It ends them when that is so no longer.
package watch

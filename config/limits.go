package config

// Limits bound what clients and strangers can cost an instance, whatever they send. Each has an alarm of kind "limit", whose object is the
// path of its field ("limits.connections"), and a metric.
type Limits struct {
	Connections uint64 `yaml:"connections" default:"4096" min:"256" max:"65536" restart:"true" admin:"true" doc:"Connections to the REST interface at a time."`
}

package client

import "time"

// Alarm is something that an operator should know of.
type Alarm struct {
	Instance string     `json:"instance,omitempty" doc:"The instance that says so."`
	Kind     string     `json:"kind" doc:"What it is about, such as host-hijack or drift."`
	Object   string     `json:"object" doc:"What it is about: a datapath id, DPID/port, a host, an address; empty for the instance itself."`
	Severity string     `json:"severity" enum:"critical,major,warning"`
	Text     string     `json:"text" doc:"What happened, the last time."`
	Active   bool       `json:"active"`
	Count    uint64     `json:"count" doc:"How often it happened since it is active."`
	Since    time.Time  `json:"since"`
	Last     time.Time  `json:"last"`
	Cleared  *time.Time `json:"cleared" doc:"When it ended; null while it is active."`
}

// Configuration is what an instance is set up with.
type Configuration struct {
	Effective map[string]any `json:"effective" nullable:"false" doc:"What is in force: flags over the configuration over defaults, in the form of the configuration file. What holds from the next start only is in pending."`
	Text      string         `json:"text" doc:"What was given, of the network and of this instance together; applied again it changes nothing. Empty if nothing was given."`
	Source    string         `json:"source" enum:",file,apply" doc:"Where what was given last is from: the file of --config, weir apply, or nowhere."`
	File      string         `json:"file,omitempty" doc:"The file of --config that this instance read last."`
	By        string         `json:"by,omitempty" doc:"Who gave it."`
	At        *time.Time     `json:"at" doc:"When; null if none was given."`
	Network   ConfigPart     `json:"network" doc:"What was given of the network: all instances on the store have it in common."`
	Instance  ConfigPart     `json:"instance" doc:"What was given of this instance: kept in its data directory."`
	Pending   []ConfigChange `json:"pending" nullable:"false" doc:"What was given and holds from the next start."`
}

// ConfigPart is one of the two parts of a configuration, as it was given.
type ConfigPart struct {
	Text   string     `json:"text" doc:"Empty if nothing was given."`
	Source string     `json:"source" enum:",file,apply" doc:"Where it is from: a file of --config, weir apply, or nowhere."`
	File   string     `json:"file,omitempty" doc:"The file, if it is from one."`
	Reader string     `json:"reader,omitempty" doc:"The instance that read the file."`
	By     string     `json:"by,omitempty" doc:"Who gave it."`
	At     *time.Time `json:"at" doc:"When; null if nothing was given."`
}

// ConfigChange is one difference between two configurations.
type ConfigChange struct {
	Path  string `json:"path" doc:"The field: discovery.lldp_period, or switches[00000000000000a1].name."`
	Old   string `json:"old" doc:"Empty where nothing was said."`
	New   string `json:"new" doc:"Empty where nothing is said any more."`
	Holds string `json:"holds" enum:"now,restart,never" doc:"When it holds: now; from the next start; or never, because a flag of weir node holds over it."`
	Flag  string `json:"flag,omitempty" doc:"The flag that holds over it."`
	Needs string `json:"needs,omitempty" enum:"operator,admin" doc:"The role that may make the change."`
	Scope string `json:"scope,omitempty" enum:"network,instance" doc:"Whose the field is: the network's, which all instances have in common, or this instance's."`
	Note  string `json:"note,omitempty" doc:"What else follows from it: the connected switches whose sessions a change of the allow list ends."`
}

// ConfigResult is what applying a configuration changed, or would.
type ConfigResult struct {
	DryRun   bool           `json:"dry_run"`
	Changes  []ConfigChange `json:"changes" nullable:"false"`
	Revision string         `json:"revision,omitempty" doc:"The revision of the view that shows it; ?at_least= takes it. Empty for a dry run."`
}

// ConfigProblem is one thing that is wrong with a configuration.
type ConfigProblem struct {
	Line int    `json:"line,omitempty" doc:"From 1; 0 where it belongs to no line."`
	Path string `json:"path,omitempty"`
	Text string `json:"text"`
}

// Drain is something that is taken out of use without loss: paths leave it, and nothing new goes
// there.
type Drain struct {
	Kind    string `json:"kind" enum:"switch,port,link"`
	Object  string `json:"object" doc:"Datapath id, DPID/port, or DPID/port<->DPID/port."`
	Name    string `json:"name,omitempty" doc:"What the object is called, where it has a name."`
	State   string `json:"state" enum:"draining,drained,bound" doc:"draining: something is still to leave, or it is not known. bound: what could leave has left, and pairs or intents that have no other path, or an end there, still pass. drained: nothing of ours passes there any more."`
	Passing *int   `json:"passing" doc:"What is still to leave it: pairs of hosts, links of the broadcast tree, and intents; null if that is not known."`
	Bound   *int   `json:"bound" doc:"Pairs and intents that stay, because an end of theirs is there or nothing else joins them: they are cut off when it is taken away; null if that is not known."`
	// Intents is what of Passing and Bound are intents; nil if that is not known.
	Intents *DrainIntents `json:"intents,omitempty" doc:"What of passing and bound are intents; left out if that is not known."`
	Note    string        `json:"note,omitempty" doc:"What keeps the numbers from being the whole truth: a switch that is not connected."`
	By      string        `json:"by,omitempty"`
	Since   time.Time     `json:"since"`
}

// DrainIntents are the intents that pass what is drained.
type DrainIntents struct {
	Passing int      `json:"passing" doc:"Whose rules there go: to another path, or since they are being withdrawn."`
	Ends    int      `json:"ends" doc:"That stay, because their packets come in or go out there."`
	NoOther int      `json:"no_other" doc:"That stay, because no better path was found."`
	First   []string `json:"first,omitempty" doc:"Ids of the first 10 that stay."`
}

// AuditRecord is one line of the audit log.
type AuditRecord struct {
	Time   time.Time `json:"time"`
	ID     string    `json:"id,omitempty" doc:"Of the request; the header X-Request-Id of its answer."`
	Who    string    `json:"who" doc:"Name of the token, or of what else acted: signal, start."`
	Role   string    `json:"role,omitempty"`
	From   string    `json:"from,omitempty" doc:"Address of the caller."`
	Via    string    `json:"via,omitempty" doc:"The instance that the caller asked, where it was another one."`
	What   string    `json:"what" doc:"Method and route."`
	Object string    `json:"object,omitempty" doc:"What it was done to."`
	Result string    `json:"result" doc:"begun (written before anything is done), done, refused, failed, lost (records that did not fit) or damaged (lines of the file that cannot be read)."`
	Status int       `json:"status,omitempty" doc:"The HTTP status of the answer."`
	Detail string    `json:"detail,omitempty" doc:"What was changed, or why it was refused."`
}

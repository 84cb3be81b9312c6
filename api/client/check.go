package client

import "context"

// Check says how far the rules that are wanted, the view and the switches' tables agree.
type Check struct {
	Revision string        `json:"revision" doc:"Of the view: every switch was compared at it or later. Opaque."`
	Agrees   bool          `json:"agrees" doc:"All switches were reached, and nothing differs."`
	Switches []SwitchCheck `json:"switches" doc:"In order of datapath id."`
	// Intents are those that are not installed too: what they want of switches is compared as far
	// as it is decided.
	Intents map[string]int `json:"intents,omitempty" doc:"How many intents are in which state. What is wanted for them is compared as all else; one that is waiting or failed wants nothing, and is no difference."`
	// Wide are intents that take packets of others on links between switches, where their rules
	// cannot tell them apart. No difference.
	Wide *WideIntents `json:"wide,omitempty" doc:"Intents that take packets of others than those at their ingress on links between switches, if there are any. No difference."`
}

// WideIntents are intents that take packets of others.
type WideIntents struct {
	Count int      `json:"count"`
	IDs   []string `json:"ids" nullable:"false" doc:"The first 100, in the order of their numbers."`
}

// SwitchCheck is a comparison of one switch.
type SwitchCheck struct {
	DPID        string       `json:"dpid"`
	Reached     bool         `json:"reached"`
	Error       string       `json:"error,omitempty" doc:"Why the switch was not compared."`
	Wanted      int          `json:"wanted" doc:"Rules wanted, and entries on their way out."`
	Compared    int          `json:"compared" doc:"Of those."`
	InFlight    int          `json:"in_flight" doc:"Of those: being written meanwhile, which is no difference."`
	Failed      int          `json:"failed" doc:"Of those: refused by the switch, which /v1/flows shows, and no difference."`
	Foreign     int          `json:"foreign" doc:"Entries of others. They are left alone."`
	Shadowing   int          `json:"shadowing" doc:"Of those: above a rule of ours whose packets they may take."`
	Differences []Difference `json:"differences"`
	Shadows     []Shadow     `json:"shadows" doc:"The first 20 of those that are counted in shadowing. No difference."`
}

// Shadow is an entry of others above a rule of ours, whose packets it may take.
type Shadow struct {
	Table    uint8  `json:"table"`
	Priority uint16 `json:"priority"`
	Match    string `json:"match"`
	Cookie   string `json:"cookie"`
	Owner    string `json:"owner" doc:"Of the first rule that it stands above."`
	Rule     string `json:"rule" doc:"That rule: its priority and match."`
}

// Difference is an entry that is not as wanted.
type Difference struct {
	Kind     string `json:"kind" enum:"missing,changed,extra,view,astray" doc:"missing: wanted, not held. changed: held with another cookie or instructions. extra: ours, held, wanted by nobody. view: what the view says is not what the rule's state is. astray: a rule of a path, or an intent's path, does not lead where it should: to where the host is now, over links that are up."`
	Table    uint8  `json:"table"`
	Priority uint16 `json:"priority"`
	Match    string `json:"match"`
	Owner    string `json:"owner,omitempty"`
	Wanted   string `json:"wanted,omitempty"`
	Held     string `json:"held,omitempty"`
}

// Sync is how a switch is kept as wanted.
type Sync struct {
	State     string  `json:"state" enum:"ok,busy,stuck,lying,disconnected" doc:"stuck: it answers neither barriers nor readings. lying: it does not keep what it confirms."`
	Revision  string  `json:"revision" doc:"The switch is known to agree with all that was wanted up to it, but for rules that failed. Opaque."`
	Watch     string  `json:"watch" enum:"monitor,paused,asked,reading" doc:"How changes behind our back are noticed: by the switch's flow monitor, or by reading it again and again. Entries that go are told by flow-removed messages besides."`
	BoundS    float64 `json:"drift_bound_s" doc:"How long a change that the switch does not tell of can stay unnoticed, in seconds; 0: it tells of all. Negative: not known."`
	Batch     int     `json:"batch" doc:"Messages before a barrier, at most, as learned from how long barriers take."`
	BarrierMS float64 `json:"barrier_ms" doc:"How long barriers take, smoothed."`
}

// Check compares what is wanted, the view and the switches' tables: every switch is read for it.
func (c *Client) Check(ctx context.Context) (*Check, error) { return item[Check](ctx, c, "/v1/check") }

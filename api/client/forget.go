package client

import (
	"context"
	"net/http"
	"net/url"
)

// Forgotten is what was forgotten, or would be, and what depended on it.
type Forgotten struct {
	Kind      string           `json:"kind" enum:"switch,host"`
	Object    string           `json:"object" doc:"The datapath id, or the id of the host."`
	Name      string           `json:"name,omitempty" doc:"Of a switch."`
	DryRun    bool             `json:"dry_run" doc:"Nothing was forgotten: it is said what would be."`
	Connected bool             `json:"connected" doc:"The switch is connected. It is forgotten only when it is not."`
	Links     Some             `json:"links" doc:"That are forgotten with a switch."`
	Hosts     Some             `json:"hosts" doc:"That are forgotten with a switch."`
	Pairs     int              `json:"pairs" doc:"Pairs of hosts whose packets pass the switch, or that the host is one of."`
	Intents   DependentIntents `json:"intents"`
	Withdrawn int              `json:"withdrawn" doc:"Intents that were withdrawn, or would be."`
	Drains    []string         `json:"drains" nullable:"false" doc:"Of the switch, its ports and links: they end."`
	Named     []string         `json:"configuration" nullable:"false" doc:"Where the configuration names it. That stays."`
	Notes     []string         `json:"notes" nullable:"false" doc:"What follows, for people."`
}

// Some is how many there are, and the first of them.
type Some struct {
	Count int      `json:"count"`
	First []string `json:"first" nullable:"false" doc:"The ids of the first twenty."`
}

// DependentIntents are intents that depend on something, each in one group.
type DependentIntents struct {
	Ends        Some `json:"ends" doc:"An end is there. Withdrawn if that was asked for; else they wait for it."`
	Passing     Some `json:"passing" doc:"They pass the switch: they get other paths, where there are any."`
	Withdrawing Some `json:"withdrawing" doc:"They are being withdrawn and have rules at the switch: they end with it."`
}

// Forget forgets a switch (its datapath id) or a host (its id) that is gone for good. With withdraw
// the intents with an end there are withdrawn; with dryRun nothing is done. The error is a
// *Problem: 404 if it is not known, 409 if it is a switch that is connected.
func (c *Client) Forget(ctx context.Context, kind, id string, withdraw, dryRun bool) (*Forgotten, error) {
	path := "/v1/switches/" + url.PathEscape(id)
	if kind == "host" {
		path = hostPath(id)
	}
	query := queryOf("withdraw", flag(withdraw), "dry_run", flag(dryRun))
	return exchange[Forgotten](ctx, c, http.MethodDelete, path, query, nil, nil)
}

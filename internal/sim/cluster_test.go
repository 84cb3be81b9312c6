package sim

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// intentModel is an intent as those who use a cluster may think of it: one content, changed by one request after another.
var intentModel = porcupine.Model{
	Partition: func(all []porcupine.Operation) [][]porcupine.Operation {
		parts := map[int][]porcupine.Operation{}
		for _, o := range all {
			i := o.Input.(Operation).Intent
			parts[i] = append(parts[i], o)
		}
		var list [][]porcupine.Operation
		for i := range len(parts) {
			list = append(list, parts[i])
		}
		return list
	},
	Init: func() any { return "" },
	Step: func(state, input, _ any) (bool, any) {
		o, is := input.(Operation), state.(string)
		switch {
		case o.Kind == OpGet:
			return is == o.Content, is
		case !o.Answered:
			return true, o.Content
		case o.Was == WasSame && is != o.Content, o.Was == WasNone && is != "":
			return false, is
		}
		return true, o.Content
	},
}

// operations are those of a history as the checker takes them. One that was not answered may happen at any later time, or never.
func operations(history []Operation) (list []porcupine.Operation) {
	for i, o := range history {
		end := int64(math.MaxInt64)
		if o.Answered {
			end = int64(o.Returned)
		} else if o.Kind == OpGet {
			continue
		}
		if o.Replaced { // it may be old: docs/design/0010-one-owner.md
			continue
		}
		list = append(list, porcupine.Operation{ClientId: i, Input: o, Call: int64(o.Called), Return: end})
	}
	return list
}

// runCluster runs a plan of a cluster, and holds what was answered to one order of all requests.
func runCluster(p *Plan, trace func(string, ...any)) Outcome {
	o := Run(p, trace)
	if len(o.Wrong) > 0 {
		return o
	}
	for _, part := range intentModel.Partition(operations(o.History)) {
		if porcupine.CheckOperationsTimeout(intentModel, part, time.Minute) == porcupine.Illegal {
			o.Wrong = append(o.Wrong, fmt.Sprintf("requests for intent w%d were answered as in no order: %s",
				part[0].Input.(Operation).Intent, text(part)))
		}
	}
	return o
}

func text(part []porcupine.Operation) (s string) {
	for _, op := range part {
		o := op.Input.(Operation)
		returned := "?"
		if o.Answered {
			returned = o.Returned.String()
		}
		s += fmt.Sprintf("\n\t%v to %s, %s: %s %x, %d", o.Called, returned, o.At, [...]string{"put", "delete", "get"}[o.Kind],
			o.Content, o.Was)
	}
	return s
}

// TestCluster runs seeds of three instances that own a store in turns, and are killed, stopped and cut off. Nothing is accepted
// by switches from an owner after a later one was their master; what was answered, at whichever instance, is as if there were
// one; and when everything is repaired one instance owns the store, and the network is as it knows it.
func TestCluster(t *testing.T) {
	owners := 0
	for seed := *fromFlag; seed < *fromFlag+uint64(*seedsFlag); seed++ {
		o := runCluster(NewClusterPlan(seed), nil)
		owners += o.Owners - 1
		for _, s := range o.Wrong {
			t.Errorf("go test ./internal/sim -run Replay -cluster -seed %d # %s", seed, s)
		}
	}
	if owners < *seedsFlag/3 {
		t.Errorf("an owner was replaced %d times in %d seeds: these histories show nothing", owners, *seedsFlag)
	}
}

// TestModel: the checker finds an answer that was lost, a stale reading, and an answer that what was before belies.
func TestModel(t *testing.T) {
	op := func(kind OperationKind, content string, called, returned time.Duration) Operation {
		return Operation{Kind: kind, Content: content, Called: called, Returned: returned, Answered: returned > 0}
	}
	put := op(OpPut, "a", 1, 2)
	for name, c := range map[string]struct {
		want    porcupine.CheckResult
		history []Operation
	}{
		"in order": {porcupine.Ok, []Operation{put, op(OpGet, "a", 3, 4)}},
		"lost":     {porcupine.Illegal, []Operation{put, op(OpGet, "", 3, 4)}},
		"stale":    {porcupine.Illegal, []Operation{put, op(OpPut, "b", 3, 4), op(OpGet, "a", 5, 6)}},
		"at once":  {porcupine.Ok, []Operation{put, op(OpPut, "b", 3, 6), op(OpGet, "b", 4, 5), op(OpGet, "b", 7, 8)}},
		"not answered": {porcupine.Ok,
			[]Operation{put, op(OpDelete, "", 3, 0), op(OpGet, "a", 4, 5), op(OpGet, "", 6, 7)}},
		"never happened": {porcupine.Ok, []Operation{put, op(OpDelete, "", 3, 0), op(OpGet, "a", 4, 5)}},
		"happened twice": {porcupine.Illegal,
			[]Operation{op(OpPut, "b", 1, 0), op(OpGet, "b", 2, 3), op(OpPut, "a", 4, 5), op(OpGet, "b", 7, 8)}},
		"was there": {porcupine.Illegal,
			[]Operation{put, {Kind: OpDelete, Was: WasNone, Called: 3, Returned: 4, Answered: true}}},
	} {
		if got := porcupine.CheckOperationsTimeout(intentModel, operations(c.history), time.Minute); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

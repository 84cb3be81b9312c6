package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weirnet/weir/openflow"
)

func TestPageProtection(t *testing.T) {
	code := map[string]bool{}
	add := func(table string, priority, match string, what Guarded) {
		code[fmt.Sprintf("%s %s %s %d", table, priority, match, what)] = true
	}
	add(fmt.Sprint(TableAdmission), fmt.Sprint(PriorityGuardProbes), "in_port=P, eth_type=0x88cc", GuardedProbes)
	add(fmt.Sprint(TableForwarding), fmt.Sprint(PriorityGuardMiss), "in_port=P", GuardedMisses)
	add(fmt.Sprint(TableCopy), fmt.Sprint(PriorityGuardCopy), "in_port=P", GuardedCopies)
	add("0, single-table form", fmt.Sprintf("tree priority + %d", PriorityGuardTree), "in_port=P", GuardedCopies)
	for _, row := range page(t, "Protection", 0) {
		match, _, _ := strings.Cut(strings.TrimPrefix(row[2], "`"), "`")
		what, _, _ := strings.Cut(row[4], ":")
		key := fmt.Sprintf("%s %s %s %s", row[0], row[1], match, what)
		if !code[key] {
			t.Errorf("on the page but not in the code: %s", key)
		}
		delete(code, key)
	}
	for key := range code {
		t.Errorf("in the code but not on the page: %s", key)
	}
}

func TestGuardRowsStandInTheirBands(t *testing.T) {
	if !BandGuardProbes.Holds(PriorityGuardProbes) || !BandGuardMiss.Holds(PriorityGuardMiss) ||
		!BandTree.Holds(PriorityBroadcast+PriorityOffTree+PriorityGuardTree) {
		t.Error("a protection row stands outside of its band")
	}
	const classes = PriorityBroadcast - PriorityUnknown // of the tree, one priority each
	if PriorityGuardTree <= classes || PriorityGuardTree+classes >= PriorityTransit ||
		PriorityTransit+PriorityGuardTree+classes >= PriorityOffTree {
		t.Error("a protection row stands among rows that it does not stand for, or over one that drops what is off the tree")
	}
}

func TestIsCopy(t *testing.T) {
	for cookie, copied := range map[uint64]bool{
		Cookie{Domain: 1, Kind: KindTree}.Encode():           true,
		Cookie{Domain: 1, Kind: KindInfrastructure}.Encode(): false,
		GuardCookie(1, 7, GuardedCopies):                     true,
		GuardCookie(1, 7, GuardedMisses):                     false,
		GuardCookie(1, 7, GuardedProbes):                     false,
	} {
		if IsCopy(&openflow.PacketIn{Cookie: cookie, Reason: openflow.ReasonAction}) != copied {
			t.Errorf("cookie %#x shows a copy: %v", cookie, !copied)
		}
	}
	for reason, copied := range map[openflow.PacketInReason]bool{openflow.ReasonAction: true, openflow.ReasonNoMatch: false} {
		if IsCopy(&openflow.PacketIn{Cookie: ^uint64(0), Reason: reason}) != copied {
			t.Errorf("without a cookie, reason %d: a copy is %v", reason, !copied)
		}
	}
}

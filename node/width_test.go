package node_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

// An instance finds which way over a link is too narrow for what is tagged on the way, says so, and remembers it.
func TestNarrowLinks(t *testing.T) {
	i, n := emulate(t, "linear:3,hosts=0", openflow.V13, func(n *topo.Topology) {
		n.Links[0].Forward.MTU, n.Links[0].Back.MTU = 1508, 1507
	})
	i.apply("discovery: {link_widths: find}\n")
	want := []string{"1>2 full", "2>1 narrow", "2>3 full", "3>2 full"}
	i.await("all widths", func() bool { return slices.Equal(i.widths(), want) })
	link := dpid(2) + "/1->" + dpid(1) + "/1"
	i.await("an alarm", func() bool { return slices.Equal(i.narrow(), []string{link}) })
	if err := errors.Join(i.stop(), n.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	again := i.again()
	if got := again.widths(); !slices.Equal(got, want) {
		t.Errorf("%v is remembered, want %v", got, want)
	}
	again.await("the alarm of the next run", func() bool { return slices.Equal(again.narrow(), []string{link}) })
}

// widths are the links with their widths, in order.
func (i *instance) widths() (list []string) {
	i.t.Helper()
	for _, l := range i.links() {
		list = append(list, fmt.Sprintf("%s>%s %s", l.Src.DPID[15:], l.Dst.DPID[15:], l.Width))
	}
	slices.Sort(list)
	return list
}

// narrow are the links that an alarm says are narrow.
func (i *instance) narrow() (list []string) {
	i.t.Helper()
	for _, a := range must[client.Page[client.Alarm]](i)(i.api.Alarms(i.t.Context(), false)).Items {
		if a.Kind == "narrow-link" {
			list = append(list, a.Object)
		}
	}
	return list
}

package table

import (
	"fmt"
	"testing"

	"github.com/weirnet/weir/api/client"
)

// TestReactiveIsKept: whether a tenant may be reactive is read as it is written, and that it changes is said.
func TestReactiveIsKept(t *testing.T) {
	q := client.TenantDefinition{Name: "blue", Number: 1, Ports: []string{"*"}, Reactive: true}
	d, err := Parse(&q)
	if err != nil {
		t.Fatal(err)
	}
	again := Format(d)
	if !d.Reactive || !again.Reactive {
		t.Errorf("read is %+v, and written %+v", d, again)
	}
	without := again
	without.Reactive = false
	if got := fmt.Sprintf("%+v", differences(&without, &again)); got != "[{Path:reactive Old:false New:true}]" {
		t.Errorf("what changes is %s", got)
	}
}

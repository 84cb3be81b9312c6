package node

import (
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/tenant"
)

// TestTenantOf: a rule is a tenant's by all of its cookie: rules of another domain are of other tenants, whatever their numbers.
func TestTenantOf(t *testing.T) {
	all := tenant.New()
	if err := all.Put(tenant.Definition{Name: "red", Number: 5, Ports: []netview.Point{{DPID: 1, Port: 1}}}); err != nil {
		t.Fatal(err)
	}
	own := plan.Cookie{Domain: 7, Kind: plan.KindTenant, Owner: plan.TenantOwner(5, 9), Version: 3}
	foreign, operators, gone := own, own, own
	foreign.Domain, operators.Kind, gone.Owner = 8, plan.KindOperator, plan.TenantOwner(6, 9)
	for _, x := range []struct {
		what   string
		cookie plan.Cookie
		want   string
	}{
		{"its own", own, "red"}, {"another domain's", foreign, ""}, {"an operator's", operators, ""},
		{"that of a tenant that is gone", gone, ""},
	} {
		if got := tenantOf(all, 7, x.cookie.Encode()); got != x.want {
			t.Errorf("%s is %q's, want %q", x.what, got, x.want)
		}
	}
}

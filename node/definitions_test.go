package node_test

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/openflow"
)

// TestTenantsByRequest: a tenant that a request makes is served, is there after a restart, and is served until it is deleted.
func TestTenantsByRequest(t *testing.T) {
	controller, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer controller.Close()
	// served returns the connection of the tenant's switch, of which a byte has come.
	served := func() net.Conn {
		t.Helper()
		controller.(*net.TCPListener).SetDeadline(time.Now().Add(30 * time.Second))
		conn, err := controller.Accept()
		if err != nil {
			t.Fatal(err)
		}
		conn.SetDeadline(time.Now().Add(30 * time.Second))
		if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		return conn
	}
	i, network := emulate(t, "linear:1", openflow.V13)
	c := i.api
	d := &client.TenantDefinition{Name: "blue", Ports: []string{"1/*"},
		Controllers: []string{"tcp:" + controller.Addr().String()}, Space: []client.TenantRegion{
			{Priority: 10, Match: client.Selector{"vlan_vid": "100"}}}}
	if _, err := c.PutTenant(t.Context(), d, client.TenantOptions{DryRun: true}); err != nil {
		t.Fatal(err)
	}
	made, err := c.PutTenant(t.Context(), d, client.TenantOptions{New: true})
	if err != nil {
		t.Fatal(err)
	}
	conn := served()
	defer conn.Close()
	if _, err := c.DeleteTenant(t.Context(), "blue", client.TenantOptions{DryRun: true}); err != nil {
		t.Fatal(err)
	}
	if err := network.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	i = i.again()
	c = i.api
	kept, err := c.Tenant(t.Context(), "blue")
	if err != nil || kept.ETag != made.Tenant.ETag || kept.Number != 1 || kept.By != "admin" {
		t.Fatalf("%+v after a restart, want %+v: %v", kept, made.Tenant, err)
	}
	if _, err := c.DeleteTenant(t.Context(), "blue", client.TenantOptions{}); err != nil {
		t.Fatal(err)
	}
	if p, err := c.Tenants(t.Context()); err != nil || len(p.Items) > 0 {
		t.Errorf("%+v is there, %v", p, err)
	}
}

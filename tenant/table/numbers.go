package table

import (
	"fmt"
	"maps"
	"slices"

	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/tenant"
)

func (n *numbers) clone() *numbers {
	c := &numbers{maps.Clone(n.Taken), slices.Clone(n.Freed)}
	if c.Taken == nil {
		c.Taken = make(map[string]uint16)
	}
	return c
}

// assign has a tenant take a number: the one that it has, the one given, or if that is 0 the lowest that nobody ever had, or
// else the one that has been free for the longest time. The error is a *tenant.Error.
func (n *numbers) assign(name string, given uint16) (uint16, error) {
	if has := n.Taken[name]; has != 0 {
		if given != 0 && given != has {
			return 0, &tenant.Error{Field: "number", Given: fmt.Sprint(given),
				Want: fmt.Sprintf("%d: that of tenant %s does not change", has, name)}
		}
		return has, nil
	}
	used := make(map[uint16]string, len(n.Taken))
	for other, number := range n.Taken {
		used[number] = other
	}
	if given != 0 && used[given] != "" {
		return 0, &tenant.Error{Field: "number", Given: fmt.Sprint(given),
			Want: fmt.Sprintf("another: tenant %s has it", used[given])}
	}
	for number := uint16(1); given == 0 && number <= plan.TenantMax; number++ {
		if used[number] == "" && !slices.Contains(n.Freed, number) {
			given = number
		}
	}
	if given == 0 && len(n.Freed) > 0 {
		given = n.Freed[0]
	}
	if given == 0 {
		return 0, &tenant.Error{Field: "number", Given: "none", Want: fmt.Sprintf(
			"a tenant less: %d are there, and no number is free", len(n.Taken))}
	}
	n.Taken[name] = given
	n.Freed = slices.DeleteFunc(n.Freed, func(f uint16) bool { return f == given })
	return given, nil
}

// free has a tenant's number be free.
func (n *numbers) free(name string) {
	if number := n.Taken[name]; number != 0 {
		delete(n.Taken, name)
		n.Freed = append(n.Freed, number)
	}
}

// adopt has tenants take the numbers of their records, where the numbers' own record does not say it: it may have been lost.
func (n *numbers) adopt(rows map[string]*row) {
	for name, r := range rows {
		if r.record == nil || n.Taken[name] != 0 {
			continue
		}
		number := r.record.Number
		n.Taken[name] = number
		n.Freed = slices.DeleteFunc(n.Freed, func(f uint16) bool { return f == number })
	}
}

package flowsync

// mustHold verifies what must hold of a core between two steps.
func (c *Core) mustHold(t tester) {
	t.Helper()
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
}

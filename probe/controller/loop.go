package controller

// start accepts connections until the listener is closed.
func (c *Controller) start() {
	go func() {
		defer close(c.served)
		for {
			accepted, err := c.ln.Accept()
			if err != nil {
				return
			}
			c.take(accepted)
		}
	}()
}

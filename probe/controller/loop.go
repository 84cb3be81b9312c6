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
			_, _ = c.server.ServeConn(c.door.open(accepted)) // the door is told of what is not taken
		}
	}()
}

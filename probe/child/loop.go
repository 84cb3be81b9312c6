//go:build linux

package child

// watch waits for the end of the program, in a goroutine that ends with it.
func (c *Child) watch() {
	go func() {
		_ = c.cmd.Wait() // how it ended, its output says
		close(c.done)
	}()
}

package node

import "context"

// follow reads the certificates for switches and the configuration file again whenever it is told to, until the context ends.
func (in *inputs) follow(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case _, ok := <-in.flags.Reload:
			if !ok {
				return
			}
			if in.certificates != nil {
				in.reloadCertificates()
			}
			if in.flags.ConfigFile != "" {
				in.reload()
			}
		}
	}
}

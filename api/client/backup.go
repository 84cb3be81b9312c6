package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// Backup writes what the instance's store holds, as a snapshot of package store. It needs role
// admin. Whether all of it has arrived is for the reader to check: the snapshot ends with a
// checksum.
func (c *Client) Backup(ctx context.Context, w io.Writer) error {
	resp, err := c.send(ctx, http.MethodGet, "/v1/backup", nil, nil, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(w, resp.Body); err != nil {
		return fmt.Errorf("backup from %s: %w", c.base, err)
	}
	return nil
}

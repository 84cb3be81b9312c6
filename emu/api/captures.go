package api

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/weirnet/weir/emu/control"
)

// Capture is a pcap file.
type Capture struct {
	Number  int    `json:"number"`
	At      string `json:"at"`
	File    string `json:"file" doc:"where it is on the emulator's machine"`
	Ended   bool   `json:"ended"`
	Frames  uint64 `json:"frames"`
	Dropped uint64 `json:"dropped" doc:"frames that are not in the file, because they came faster than the disk"`
}

func captureItem(c *control.Capture) Capture {
	n := c.Counts()
	return Capture{Number: c.Number, At: c.At, File: c.File, Ended: c.Ended(), Frames: n.Frames, Dropped: n.Dropped}
}

type captureInput struct {
	Body struct {
		At   string `json:"at" doc:"s1:3 a port, s1 the control channels of a switch, all those of all switches" example:"s1:1"`
		File string `json:"file" doc:"a new file's name, that ends in .pcap, without a folder" example:"s1-1.pcap"`
	}
}

func (s *Server) capture(_ context.Context, in *captureInput) (*one[Capture], error) {
	name := in.Body.File
	if filepath.Base(name) != name || strings.HasPrefix(name, ".") || filepath.Ext(name) != ".pcap" {
		return nil, huma.Error422UnprocessableEntity(
			fmt.Sprintf("file %q given, want a name without a folder that ends in .pcap, such as s1-1.pcap", name))
	}
	c, err := s.operator.Capture(in.Body.At, name, false)
	if err != nil {
		return nil, refuse(err)
	}
	return &one[Capture]{captureItem(c)}, nil
}

func (s *Server) captures(context.Context, *none) (*list[Capture], error) {
	return listOf(s.operator.Captures(), captureItem)
}

func (s *Server) stopCapture(_ context.Context, in *numberInput) (*one[Capture], error) {
	for _, c := range s.operator.Captures() {
		if c.Number != in.Number {
			continue
		}
		if err := c.Stop(); err != nil {
			return nil, huma.Error500InternalServerError("the capture is not whole: " + err.Error())
		}
		return &one[Capture]{captureItem(c)}, nil
	}
	return nil, huma.Error404NotFound(fmt.Sprintf("there is no capture %d: GET /v1/captures lists what there is", in.Number))
}

package api

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/emu/control"
)

// captures are pcap files that are written, or were.
type captures struct{ operator *control.Operator }

func (r captures) routes() []rest.Route {
	return []rest.Route{
		{Method: "POST", Path: "/v1/captures", ID: "begin-capture", Handler: rest.Typed(r.begin),
			Summary: "Capture a port or control channels to a pcap file"},
		{Method: "GET", Path: "/v1/captures", ID: "captures", Handler: rest.Typed(r.all),
			Summary: "All captures, ended ones too"},
		{Method: "DELETE", Path: "/v1/captures/{number}", ID: "stop-capture", Handler: rest.Typed(r.stop),
			Summary: "End a capture"},
	}
}

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

func (r captures) begin(_ context.Context, in *captureInput) (*one[Capture], error) {
	name := in.Body.File
	if filepath.Base(name) != name || strings.HasPrefix(name, ".") || filepath.Ext(name) != ".pcap" {
		return nil, huma.Error422UnprocessableEntity(
			fmt.Sprintf("file %q given, want a name without a folder that ends in .pcap, such as s1-1.pcap", name))
	}
	c, err := r.operator.Capture(in.Body.At, name, false)
	if err != nil {
		return nil, refuse(err)
	}
	return &one[Capture]{captureItem(c)}, nil
}

func (r captures) all(context.Context, *none) (*list[Capture], error) {
	return listOf(r.operator.Captures(), captureItem)
}

func (r captures) stop(_ context.Context, in *numberInput) (*one[Capture], error) {
	for _, c := range r.operator.Captures() {
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

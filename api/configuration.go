package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/strictyaml"
)

type configInput struct {
	DryRun  bool   `query:"dry_run" doc:"Say what would change, and change nothing."`
	RawBody []byte `contentType:"application/yaml" doc:"The whole configuration, as YAML or JSON: docs/config.md."`
}

type configAnswer struct{ Body client.ConfigResult }

type emptyInput struct{}

func (s *Server) configuration(context.Context, *emptyInput) (*singleAnswer[client.Configuration], error) {
	c := s.cfg.Configuration.Show()
	return &singleAnswer[client.Configuration]{s.revision(s.cfg.View.Snapshot()), c}, nil
}

func (s *Server) apply(ctx context.Context, in *configInput) (*configAnswer, error) {
	c := changeOf(ctx)
	c.object = "configuration"
	by := c.by
	if in.DryRun { // it is no change, and has none
		by = actorOf(ctx)
	} else if by.Role < RoleOperator {
		return nil, refuse(http.StatusForbidden, "applying a configuration needs role operator")
	}
	made, rev, err := s.cfg.Configuration.Apply(in.RawBody, by, in.DryRun)
	if err != nil {
		return nil, changeError(err)
	}
	c.detail = describe(made)
	result := client.ConfigResult{DryRun: in.DryRun, Changes: made}
	if made == nil {
		result.Changes = []client.ConfigChange{}
	}
	if !in.DryRun {
		result.Revision = s.run.text(position{revision: rev})
	}
	return &configAnswer{result}, nil
}

// describe returns a list of changes in one line.
func describe(list []client.ConfigChange) string {
	if len(list) == 0 {
		return "no change"
	}
	parts := make([]string, len(list))
	for i, c := range list {
		parts[i] = fmt.Sprintf("%s: %q to %q", c.Path, c.Old, c.New)
	}
	return cut(strings.Join(parts, "; "))
}

// changeError returns the answer to an error of Configuration or Drains.
func changeError(err error) error {
	var problems strictyaml.Problems
	switch {
	case errors.As(err, &problems):
		no := refuse(http.StatusUnprocessableEntity, "the configuration is refused, and nothing was changed: %s",
			cut(strings.ReplaceAll(problems.Error(), "\n", "; ")))
		for _, p := range problems {
			no.problems = append(no.problems, client.ConfigProblem{Line: p.Line, Path: p.Path, Text: p.Text})
		}
		return no
	case errors.Is(err, ErrNotAllowed):
		return refuse(http.StatusForbidden, "%v", err)
	case errors.Is(err, ErrNotKept):
		return storeProblem(err)
	}
	return refuse(http.StatusConflict, "%v", err)
}

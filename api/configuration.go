package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/strictyaml"
)

const (
	configPath   = "/v1/config"
	applyPattern = "POST " + configPath
)

type configInput struct {
	DryRun  bool   `query:"dry_run" doc:"Say what would change, and change nothing."`
	RawBody []byte `contentType:"application/yaml" doc:"The whole configuration, as YAML or JSON: docs/config.md."`
}

type configAnswer struct{ Body client.ConfigResult }

// addConfig adds the routes of the configuration.
func (s *Server) addConfig() {
	get(s, "config", configPath, "The configuration in force", s.configuration)
	huma.Register(s.huma, huma.Operation{
		OperationID: "apply", Method: http.MethodPost, Path: configPath, MaxBodyBytes: config.MaxBytes + 1,
		Summary: "Replace the configuration",
		Description: "The whole configuration is given. It is validated whole: if anything is wrong with it nothing is changed, and the problem " +
			"lists all that is wrong, with lines. What is not touched by it goes on undisturbed. Needs role operator; for the " +
			"fields that docs/config.md marks so, admin; for a dry run, viewer. Answered when it is on the disk.",
	}, s.apply)
}

type emptyInput struct{}

func (s *Server) configuration(context.Context, *emptyInput) (*singleAnswer[client.Configuration], error) {
	if s.cfg.Configuration == nil {
		return nil, huma.Error404NotFound("this instance has no configuration")
	}
	c := s.cfg.Configuration.Show()
	return &singleAnswer[client.Configuration]{s.revision(s.cfg.View.Snapshot()), c}, nil
}

func (s *Server) apply(ctx context.Context, in *configInput) (*configAnswer, error) {
	if s.cfg.Configuration == nil {
		return nil, huma.Error404NotFound("this instance has no configuration")
	}
	c := changeOf(ctx)
	c.object = "configuration"
	by := c.by
	if in.DryRun { // it is no change, and has none
		by, _ = ctx.Value(actorKey{}).(Actor)
	} else if by.Role < RoleOperator {
		return nil, huma.Error403Forbidden("applying a configuration needs role operator")
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
		result.Revision = s.epoch.text(position{revision: rev})
	}
	return &configAnswer{result}, nil
}

// describe is a list of changes in one line.
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

// badConfiguration is the problem of a configuration, with all that is wrong.
type badConfiguration struct{ client.Problem }

// GetStatus implements huma.StatusError.
func (b *badConfiguration) GetStatus() int { return b.Status }

// Error is of error.
func (b *badConfiguration) Error() string { return b.Problem.Error() }

// ContentType implements huma.ContentTypeFilter.
func (b *badConfiguration) ContentType(string) string { return "application/problem+json" }

// changeError is how the errors of what takes changes are answered.
func changeError(err error) error {
	var problems strictyaml.Problems
	switch {
	case errors.As(err, &problems):
		no := &badConfiguration{client.Problem{Title: http.StatusText(http.StatusUnprocessableEntity),
			Status: http.StatusUnprocessableEntity,
			Detail: "the configuration is refused, and nothing was changed: " +
				cut(strings.ReplaceAll(problems.Error(), "\n", "; "))}}
		for _, p := range problems {
			no.Problems = append(no.Problems, client.ConfigProblem{Line: p.Line, Path: p.Path, Text: p.Text})
		}
		return no
	case errors.Is(err, ErrNotAllowed):
		return huma.Error403Forbidden(err.Error())
	case errors.Is(err, ErrNotKept):
		return storeProblem(err).problem()
	}
	return huma.Error409Conflict(err.Error())
}

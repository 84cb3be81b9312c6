package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/strictyaml"
)

// configuration are the routes that read and change what the instance is set up with.
type configuration struct {
	*revision.Clock
	inForce Configuration // nil: there is none
}

func (s *configuration) routes() []rest.Route {
	has, lacking := s.inForce != nil, rest.Refuse(http.StatusNotFound, "this instance has no configuration")
	return []rest.Route{
		{Method: "GET", Path: configPath, ID: "config",
			Handler: rest.Provided(has, lacking, s.show), Summary: "The configuration in force"},
		{Method: "POST", Path: configPath, ID: "apply", Handler: rest.Provided(has, lacking, s.apply), DryRun: rest.RoleViewer,
			BodyBytes: config.MaxBytes + 1, // so that one that is too long is told its limit
			Summary:   "Replace the configuration",
			Description: "The whole configuration is given. It is validated whole: if anything is wrong with it " +
				"nothing is changed, and the problem " +
				"lists all that is wrong, with lines. What is not touched by it goes on undisturbed. Needs role " +
				"operator; for the " +
				"fields that docs/config.md marks so, admin; for a dry run, viewer. Answered when it is on the disk."},
	}
}

type configInput struct {
	DryRun  bool   `query:"dry_run" doc:"Say what would change, and change nothing."`
	RawBody []byte `contentType:"application/yaml" doc:"The whole configuration, as YAML or JSON: docs/config.md."`
}

type configAnswer struct{ Body client.ConfigResult }

type emptyInput struct{}

func (s *configuration) show(context.Context, *emptyInput) (*revision.Answer[client.Configuration], error) {
	c := s.inForce.Show()
	return revision.NewAnswer(s.At(s.View.Snapshot().Revision()), c), nil
}

func (s *configuration) apply(ctx context.Context, in *configInput) (*configAnswer, error) {
	c := rest.ChangeOf(ctx)
	c.Object = "configuration"
	by := c.By
	if in.DryRun { // it is no change, and has none
		by = rest.ActorOf(ctx)
	} else if by.Role < rest.RoleOperator {
		return nil, rest.Refuse(http.StatusForbidden, "applying a configuration needs role operator")
	}
	made, rev, err := s.inForce.Apply(in.RawBody, by, in.DryRun)
	if err != nil {
		return nil, changeError(err)
	}
	c.Detail = describe(made)
	result := client.ConfigResult{DryRun: in.DryRun, Changes: made}
	if made == nil {
		result.Changes = []client.ConfigChange{}
	}
	if !in.DryRun {
		result.Revision = s.At(rev)
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
	return rest.CutDetail(strings.Join(parts, "; "))
}

// changeError returns the answer to an error of Configuration or Drains.
func changeError(err error) error {
	var problems strictyaml.Problems
	switch {
	case errors.As(err, &problems):
		no := rest.Refuse(http.StatusUnprocessableEntity, "the configuration is refused, and nothing was changed: %s",
			rest.CutDetail(strings.ReplaceAll(problems.Error(), "\n", "; ")))
		for _, p := range problems {
			no.Problems = append(no.Problems, client.ConfigProblem{Line: p.Line, Path: p.Path, Text: p.Text})
		}
		return no
	case errors.Is(err, ErrNotAllowed):
		return rest.Refuse(http.StatusForbidden, "%v", err)
	case errors.Is(err, ErrNotKept):
		return storeProblem(err)
	}
	return rest.Refuse(http.StatusConflict, "%v", err)
}

// storeProblem says why a change that is kept in the store was not made, or is not known to be.
func storeProblem(err error) *rest.Refusal {
	switch {
	case errors.Is(err, store.ErrFull), errors.Is(err, syscall.ENOSPC):
		return rest.Refuse(http.StatusInsufficientStorage, "%v", err)
	case errors.Is(err, store.ErrUnknown):
		return &rest.Refusal{Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Unknown: true,
			Detail: "the outcome is unknown: the store has not said whether the change was kept; " +
				"it is made as soon as it is, and GET shows it then"}
	}
	return rest.Refuse(http.StatusServiceUnavailable, "%v", err).After(time.Second)
}

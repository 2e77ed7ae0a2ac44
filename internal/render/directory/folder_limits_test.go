package directory

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/walk/walktest"
)

func endless(ctx context.Context) *source.Source {
	s := &source.Source{Path: ".", Tree: record.Wrap(ctx, walktest.Bomb{Deep: 10, Every: "x.yaml"}.Snapshot("https://git.example.com/endless"), record.Limits{})}
	s.Spec.Directory = &v1alpha1.ApplicationSourceDirectory{Recurse: true}
	return s
}

func TestFoldersWithoutEnd(t *testing.T) {
	_, err := list(t.Context(), endless(t.Context()))
	var p *gitops.Problem
	if err == nil || !strings.Contains(err.Error(), "more than 200000 files and folders") || !strings.Contains(err.Error(), "git.example.com/endless") || !errors.As(err, &p) || p.Fix == "" {
		t.Errorf("it is not said what, where and what to do: %v", err)
	}
}

func TestListingEndsWithTheRender(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := list(ctx, endless(t.Context())); !errors.Is(err, context.Canceled) {
		t.Errorf("folders are listed for nobody: %v", err)
	}
}

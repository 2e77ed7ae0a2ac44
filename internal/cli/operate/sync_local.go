package operate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/offline"
	"github.com/causeway-gitops/causeway/internal/source"
)

// localManifests renders an application from a folder of this machine, which
// stands for the path of its source, and returns one text an object. Files
// above the folder are those of the checkout that it is in.
func (s *syncFlags) localManifests(ctx context.Context, h *target.Hub, name string) ([]string, error) {
	application, err := h.Application(ctx, name)
	if err != nil {
		return nil, err
	}
	here, mirror, err := standIn(application, s.local)
	if err != nil {
		return nil, err
	}
	inspector, err := target.Inspect(ctx, s.Global, h, []source.Mirror{mirror})
	if err != nil {
		return nil, err
	}
	defer inspector.Close()
	rendering, err := inspector.Render(ctx, here)
	if err != nil {
		return nil, fmt.Errorf("cannot render %s: %w", s.local, err)
	}
	if len(rendering.Hidden) > 0 {
		return nil, fmt.Errorf("cannot sync from %s: it has decrypted values, which would be readable in the Application; commit the change instead", s.local)
	}
	if len(rendering.Manifests) == 0 {
		return nil, fmt.Errorf("cannot sync from %s: it has no manifests", s.local)
	}
	var texts []string
	for _, m := range rendering.Manifests {
		text, err := m.Object.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("cannot encode %s %s: %w", m.Object.GetKind(), m.Object.GetName(), err)
		}
		texts = append(texts, strings.TrimSpace(string(text)))
	}
	return texts, nil
}

// standIn is the application with a folder in the place of its one source,
// and the mirror that serves it.
func standIn(application *v1alpha1.Application, folder string) (*v1alpha1.Application, source.Mirror, error) {
	if application.Spec.HasMultipleSources() || application.Spec.Source == nil {
		return nil, source.Mirror{}, fmt.Errorf("cannot sync application %s from a folder: it has several sources, and a folder can stand for one", application.Name)
	}
	if application.Spec.Source.Chart != "" {
		return nil, source.Mirror{}, fmt.Errorf("cannot sync application %s from a folder: its source is a chart of a repository; render it with a source of Git", application.Name)
	}
	full, err := filepath.Abs(folder)
	if err == nil {
		full, err = filepath.EvalSymlinks(full)
	}
	if err == nil {
		var info os.FileInfo
		if info, err = os.Stat(full); err == nil && !info.IsDir() {
			err = fmt.Errorf("%s is no folder", folder)
		}
	}
	if err != nil {
		return nil, source.Mirror{}, command.Usagef("cannot use --local: %v", err)
	}
	top, err := offline.Toplevel(full)
	if err != nil {
		return nil, source.Mirror{}, err
	}
	path, err := filepath.Rel(top, full)
	if err != nil {
		return nil, source.Mirror{}, err
	}
	here := application.DeepCopy()
	here.Spec.Source.Path, here.Spec.Source.TargetRevision = filepath.ToSlash(path), "HEAD"
	return here, source.Mirror{URL: here.Spec.Source.RepoURL, Path: top, WorkTree: true}, nil
}

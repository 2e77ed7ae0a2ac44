package reach

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Past tells what of the past of Applications somebody may read, of those that they may
// read now. It is for one request: what it was told it does not ask again.
type Past struct {
	reach *Reach
	may   map[Access]bool
}

// Past of whoever asks first.
func (r *Reach) Past() *Past { return &Past{r, map[Access]bool{}} }

// Has reports whether a sync is one that somebody may read of an Application: of the one
// with the UID that was read, and of no other that had its name, in a project in which
// they may read it. One of which no UID is known counts in the present project alone.
func (p *Past) Has(ctx context.Context, app *view.Row, s *history.Sync) (bool, error) {
	switch {
	case s.App.Namespace != app.Namespace || s.App.Name != app.Name:
		return false, nil
	case s.App.UID == "":
		return s.Project == app.Project, nil
	case s.App.UID != app.UID:
		return false, nil
	}
	return p.In(ctx, app, s.Project)
}

// In reports whether somebody may read an Application in a project, in which it may have
// been before. Of what has no project nobody knows who may.
func (p *Past) In(ctx context.Context, app *view.Row, project string) (bool, error) {
	if project == app.Project || project == "" {
		return project != "", nil
	}
	a := Application("applications", "get", project, app.Key())
	if may, known := p.may[a]; known {
		return may, nil
	}
	err := p.reach.Permit(ctx, a)
	if err != nil && !judged(err) {
		return false, err
	}
	p.may[a] = err == nil
	return err == nil, nil
}

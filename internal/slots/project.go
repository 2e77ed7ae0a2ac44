package slots

import "context"

type projectKey struct{}

// ForProject returns a context of work for a project: its requests to a cluster and its
// tasks of worker processes take turns with those of others.
func ForProject(ctx context.Context, project string) context.Context {
	return context.WithValue(ctx, projectKey{}, project)
}

// ProjectOf is the project of a context, and nobody's where it has none.
func ProjectOf(ctx context.Context) string {
	project, _ := ctx.Value(projectKey{}).(string)
	return project
}

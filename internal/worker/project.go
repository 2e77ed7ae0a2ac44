package worker

import "context"

type projectKey struct{}

// For returns a context of work for a project: its tasks leave workers of each
// pool to those of others.
func For(ctx context.Context, project string) context.Context {
	return context.WithValue(ctx, projectKey{}, project)
}

// ProjectOf is the project of a context, and nobody's where it has none.
func ProjectOf(ctx context.Context) string {
	project, _ := ctx.Value(projectKey{}).(string)
	return project
}

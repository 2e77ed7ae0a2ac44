package apply

import "context"

type projectKey struct{}

// For returns a context of work for a project: its requests to a cluster take turns
// with those of others.
func For(ctx context.Context, project string) context.Context {
	return context.WithValue(ctx, projectKey{}, project)
}

// projectOf is the project of a context, and nobody's where it has none.
func projectOf(ctx context.Context) string {
	project, _ := ctx.Value(projectKey{}).(string)
	return project
}

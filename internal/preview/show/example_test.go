package show

import (
	"fmt"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: cache
  namespace: shop
spec:
  replicas: 2
  template:
    spec:
      containers:
      - image: redis:8.2
        name: redis
`

// example is a forecast with something of everything.
func example() *forecast.Forecast {
	f := &forecast.Forecast{
		APIVersion: forecast.APIVersion,
		Base:       forecast.Side{Revision: "main", Commit: "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d", Title: "Add the billing service", Applications: 240},
		Head:       forecast.Side{Revision: "more-replicas", Commit: "9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c", Title: "More replicas in production, a new ingress", Applications: 241},
	}
	for i := range 12 {
		f.Clusters = append(f.Clusters, fmt.Sprintf("prod-eu-%02d", i+1))
	}
	f.Clusters = append(f.Clusters, "staging")
	f.Summary = forecast.Summary{Added: 1, Removed: 1, Changed: 17, Unchanged: 220, Unknown: 2, Rendered: 40, Reused: 442}
	f.Summary.Objects.Added, f.Summary.Objects.Changed, f.Summary.Objects.Removed = 2, 49, 3
	f.Groups = []forecast.Group{webGroup(f.Clusters[:12]), ingressGroup(f.Clusters[3:8]), cacheGroup(), databaseGroup()}
	f.Failures = []forecast.Finding{
		{Reason: "RenderFailed", Message: "cannot render chart monitoring: values.retention must be a string", File: "addons/monitoring/values.yaml", Line: 14, Subject: "Application argocd/monitoring-staging", Clusters: []string{"staging"}},
		{Reason: "InvalidTemplate", Message: "cannot read the template: map has no entry for key \"region\"; add the label to the cluster", File: "sets/billing.yaml", Line: 8, Subject: "ApplicationSet argocd/billing", Clusters: f.Clusters[:6], New: true},
	}
	f.Warnings = []forecast.Finding{
		{Reason: "RepeatedResourceWarning", Message: "ConfigMap shop/settings is there twice; the last one wins", Subject: "Application argocd/web-staging"},
		{Reason: "DuplicateKey", Message: "the key replicas is there twice; the last one wins", File: "values/prod.yaml", Line: 31, New: true},
	}
	f.Missing = []forecast.Missing{{
		RepoURL: "https://charts.example.com", Chart: "prometheus", Revision: "27.x", Message: "no network here, and no mirror has it",
		Command: "causeway mirror --only https://charts.example.com", Applications: []string{"prometheus-prod-eu-01", "prometheus-staging"},
	}}
	return f
}

func webGroup(clusters []string) forecast.Group {
	g := forecast.Group{
		Change: forecast.Changed, Title: "web on 12 prod clusters",
		Causes: []forecast.Cause{
			{Kind: "value", What: "values/prod.yaml: replicas 2 → 3", File: "values/prod.yaml", Line: 12},
			{Kind: "file", What: "charts/web/templates/config.yaml", File: "charts/web/templates/config.yaml"},
		},
		Images: []forecast.Image{{Old: "registry.example.com/shop/web:1.14.0", New: "registry.example.com/shop/web:1.15.2", Objects: []string{"Deployment/web", "Job/migrate"}}, {New: "envoyproxy/envoy:v1.36", Objects: []string{"Deployment/web"}}},
		Risks:  []forecast.Risk{{Kind: forecast.RiskImmutable, Object: "Job shop/migrate", Message: "spec.template cannot be changed: the API server refuses it; delete the object first, or give it the sync option Force=true"}},
	}
	for _, c := range clusters {
		g.Applications = append(g.Applications, forecast.Application{Namespace: "argocd", Name: "web-" + c, Cluster: c, Project: "shop", Parent: "ApplicationSet web"})
	}
	g.Objects = []forecast.Object{
		{
			Change: forecast.Changed, Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "shop", Name: "web", File: "charts/web/templates/deployment.yaml", Line: 1,
			Fields: []forecast.Field{
				{Path: `metadata.annotations["example.com/owner"]`, New: "team-shop"},
				{Path: "spec.replicas", Old: int64(2), New: int64(3)},
				{Path: "spec.template.spec.containers[name=web].env[name=DB_PASSWORD].value", Old: "[masked]", New: "[masked]", Masked: true},
				{Path: "spec.template.spec.containers[name=web].image", Old: "registry.example.com/shop/web:1.14.0", New: "registry.example.com/shop/web:1.15.2"},
				{Path: "spec.template.spec.containers[name=envoy]", New: map[string]any{"name": "envoy", "image": "envoyproxy/envoy:v1.36", "ports": []any{map[string]any{"containerPort": int64(9901)}}}},
			},
		},
		{
			Change: forecast.Changed, Version: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "web",
			Fields: []forecast.Field{{Path: `data["nginx.conf"]`, Old: "worker_processes 1;\nevents {\n  worker_connections 512;\n}\nhttp {\n  gzip on;\n}\n", New: "worker_processes auto;\nevents {\n  worker_connections 512;\n}\nhttp {\n  gzip on;\n}\n"}},
		},
		{Change: forecast.Changed, Version: "v1", Kind: "Secret", Namespace: "shop", Name: "web", Fields: []forecast.Field{{Path: "data.token", Old: "[masked]", New: "[masked]", Masked: true}}},
	}
	return g
}

func ingressGroup(clusters []string) forecast.Group {
	g := forecast.Group{
		Change: forecast.Changed, Title: "ingress on 5 clusters",
		Fields: []forecast.Field{{Path: "spec.source.targetRevision", Old: "4.12.1", New: "4.13.0"}, {Path: "spec.syncPolicy.syncOptions", Old: []any{"CreateNamespace=true"}, New: []any{"CreateNamespace=true", "ServerSideApply=true"}}},
		Causes: []forecast.Cause{{Kind: "spec", What: "sets/ingress.yaml: targetRevision 4.12.1 → 4.13.0", File: "sets/ingress.yaml", Line: 22}},
		Risks:  []forecast.Risk{{Kind: forecast.RiskCRDChanged, Object: "CustomResourceDefinition routes.example.com", Message: "v1: spec.weight becomes integer, was string"}},
	}
	for _, c := range clusters {
		g.Applications = append(g.Applications, forecast.Application{Namespace: "argocd", Name: "ingress-" + c, Cluster: c, Parent: "ApplicationSet ingress"})
	}
	return g
}

func cacheGroup() forecast.Group {
	return forecast.Group{
		Change: forecast.Added, Title: "cache on staging",
		Applications: []forecast.Application{{Namespace: "argocd", Name: "cache", Cluster: "staging", Parent: "Application root"}},
		Causes:       []forecast.Cause{{Kind: "file", What: "apps/cache.yaml is new", File: "apps/cache.yaml", Line: 1}},
		Objects: []forecast.Object{
			{Change: forecast.Added, Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "shop", Name: "cache", Manifest: deployment, File: "cache/deployment.yaml", Line: 1},
			{Change: forecast.Added, Version: "v1", Kind: "Secret", Namespace: "shop", Name: "cache", Manifest: "apiVersion: v1\ndata:\n  password: '[masked]'\nkind: Secret\nmetadata:\n  name: cache\n  namespace: shop\n"},
		},
		Images: []forecast.Image{{New: "redis:8.2", Objects: []string{"Deployment/cache"}}},
	}
}

func databaseGroup() forecast.Group {
	return forecast.Group{
		Change: forecast.Removed, Title: "old-database on staging",
		Applications: []forecast.Application{{Namespace: "argocd", Name: "old-database", Cluster: "staging"}},
		Causes:       []forecast.Cause{{Kind: "file", What: "apps/old-database.yaml is gone", File: "apps/old-database.yaml"}},
		Objects: []forecast.Object{
			{Change: forecast.Removed, Version: "v1", Kind: "Namespace", Name: "old-database", Manifest: "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: old-database\n"},
		},
		Risks: []forecast.Risk{{Kind: forecast.RiskDeletion, Object: "Namespace old-database", Message: "everything inside the namespace is deleted with it"}},
	}
}

// hostile is a forecast in which every text tries to break out.
func hostile() *forecast.Forecast {
	const bad = "</details><script>alert(1)</script> | @everyone ``` #12 ![x](http://e.com) \x1b[31m\n```\n/close\n"
	f := example()
	f.Base.Revision, f.Head.Revision, f.Head.Title = bad, bad, bad
	for i := range f.Groups {
		g := &f.Groups[i]
		g.Title += bad
		g.Causes = append(g.Causes, forecast.Cause{What: bad, File: bad})
		g.Risks = append(g.Risks, forecast.Risk{Kind: forecast.RiskDeletion, Object: bad, Message: bad})
		g.Objects = append(g.Objects, forecast.Object{
			Change: forecast.Changed, Kind: bad, Name: bad,
			Fields: []forecast.Field{{Path: "data[\"" + bad + "\"]", Old: bad, New: bad + bad}},
		}, forecast.Object{Change: forecast.Added, Kind: "K", Name: "n", Manifest: bad})
		g.Images = append(g.Images, forecast.Image{Old: bad, New: bad, Objects: []string{bad}})
		for j := range g.Applications {
			g.Applications[j].Name += bad
			g.Applications[j].Cluster += bad
		}
	}
	f.Failures = append(f.Failures, forecast.Finding{Reason: bad, Message: bad, File: bad, Subject: bad, New: true})
	f.Missing = append(f.Missing, forecast.Missing{RepoURL: bad, Message: bad, Command: bad})
	return f
}

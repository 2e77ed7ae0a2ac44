// Package generate turns an ApplicationSet into Applications: it finds
// parameter sets with the set's generators and renders the set's template with
// each of them.
//
// It works on values. It reads clusters, projects and repositories through
// small interfaces, writes nothing and talks to no cluster; what becomes of the
// Applications is the controller's business, which Plan and Merge prepare.
//
// The rules are Argo CD's. Where they surprise, the comment at the place says
// so; a set of parameters that is wrong is an error of the whole set, and then
// nothing of it may be created, changed or deleted.
package generate

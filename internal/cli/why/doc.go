// Package why has the commands that explain: why an Application or an object is as it is, where a value comes from, and
// what labels and annotations of clusters do.
package why

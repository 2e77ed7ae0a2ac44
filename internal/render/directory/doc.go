// Package directory renders a folder of plain manifests and Jsonnet files.
//
// It resolves no duplicates and fills in no namespaces.
package directory

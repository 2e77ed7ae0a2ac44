// Package api is the product's REST API, version 1: what the browser, the
// command line and programs read and ask for. Its OpenAPI document is made from
// the types here. It reads caches, and asks what stands behind its interfaces;
// it decides no permission by itself and keeps nothing.
package api

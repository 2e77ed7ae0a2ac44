// Package environment puts Applications side by side as they are promoted: a
// line for each product, a column for each environment. It works on rows, and
// knows no requests.
package environment

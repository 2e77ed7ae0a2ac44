// Package rows lists what a hub has, clusters and repositories, as rows of tables and as objects for programs.
package rows

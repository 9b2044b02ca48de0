"""A corpus on Milvus: a server, a cluster, or a file of Milvus Lite."""

"""Quality of the results compared with other methods: held-out links, known communities and planted ones."""

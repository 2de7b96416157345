#!/bin/bash
export DB_PASSWORD=CANARYcanary
